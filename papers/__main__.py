"""Write what the package and the website take from kept weights: python -m papers."""

from papers import colors, export_models, live_models, recipes
from papers.across import mechanisms

if __name__ == "__main__":
    colors.export()
    recipes.export()
    mechanisms.export()
    for module, target in ((export_models, export_models.target()), (live_models, live_models.SCRIPT)):
        print(f"{', '.join(module.export()) or 'no model has kept weights'}: {target}")
