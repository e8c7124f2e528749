"""What pyproject.toml cannot say: the package holds the trained models that have a name, and a clone's
papers can be imported from where they lie."""

import json
import shutil
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

RESULTS = Path("results")


def models() -> list[str]:
    """results/models.json and the files that it lists, by their places among the results."""
    listed = json.loads((RESULTS / "models.json").read_text("utf-8")).values()
    return ["models.json", *(model[kind] for model in listed for kind in ("record", "weights"))]


class WithModels(build_py):
    """Copies the models into the package."""

    def run(self):
        super().run()
        if self.editable_mode:  # it finds them in results/
            return
        for file in models():
            target = Path(self.build_lib, "icllib", RESULTS, file)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(RESULTS / file, target)


class SourcesWithModels(sdist):
    """Holds the models, so that a package can be built from it."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, [*files, *(str(RESULTS / file) for file in models())])


PACKAGES = ["icllib*", *["papers*"] * ("editable_wheel" in sys.argv)]
setup(packages=find_packages(include=PACKAGES),
      cmdclass={"build_py": WithModels, "sdist": SourcesWithModels})
