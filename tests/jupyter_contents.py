"""Jupyter's contents manager with jupytext's on top, as in a server, on the files of one folder."""

import logging
import sys
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import nbformat


class Files:
    """What jupytext asks of the server's own manager."""

    allow_hidden, log = False, logging.getLogger(__name__)

    def __init__(self, folder):
        self.folder = Path(folder)

    def at(self, path):
        return self.folder / path.strip("/")  # jupytext begins some with one

    def file_exists(self, path):
        return self.at(path).is_file()

    def dir_exists(self, path):
        return self.at(path).is_dir()

    exists = file_exists

    def get(self, path, content=True, type=None, format=None):
        file = self.at(path)
        model = {"path": path, "type": type, "format": format, "content": None,
                 "last_modified": datetime.fromtimestamp(file.stat().st_mtime, timezone.utc)}
        if content:
            text = file.read_text("utf-8")
            model["content"] = nbformat.reads(text, 4) if type == "notebook" else text
        return model

    def save(self, model, path):
        notebook = model["type"] == "notebook"
        text = nbformat.writes(nbformat.from_dict(model["content"])) + "\n" if notebook else model["content"]
        self.at(path).write_text(text, "utf-8")
        return self.get(path, content=False, type=model["type"])


# jupytext asks for the server, which is not among the requirements, as soon as it is imported.
with patch.dict(sys.modules, {"jupyter_server.services.contents.largefilemanager":
                              SimpleNamespace(LargeFileManager=Files)}):
    from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class

Jupyter = build_sync_jupytext_contents_manager_class(Files)
