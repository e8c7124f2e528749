"""The paper PAPER_NAME: a module for each page.

`runs` of a page's module lists the runs of a profile. This file only imports the classes that
records name, as "papers.PAPER_NAME.<class>".
"""
