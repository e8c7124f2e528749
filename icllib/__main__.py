"""`icllib compare mine.py`: is an attention, or a model, of one's own better than softmax?"""

import argparse
import sys

from claimbook.records.errors import InputError, OutOfTime


def main(arguments=None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser("icllib", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("compare", help="train yours, compare it with softmax, and report")
    command.add_argument("mine", help="a file with weigh(z, mask), class Model or model")
    command.add_argument("--folder", default="court", help="where weights and the report go")
    command.add_argument("--quick", action="store_true", help="one seed in place of five")
    asked = parser.parse_args(arguments)
    try:
        from claimbook.records import files  # first, as PyTorch ends the process where the working folder is gone
        from icllib import court  # PyTorch, for seconds

        rows = court.compare(asked.mine, asked.folder, asked.quick)
    except (InputError, OSError) as error:
        print(f"icllib: {error}", file=sys.stderr)
        return 2
    except (OutOfTime, KeyboardInterrupt) as error:
        print(f"icllib: {str(error) or 'stopped'}; the same call goes on from there", file=sys.stderr)
        return 3
    print(f"{court.in_one_sentence(rows)} The report: {asked.folder}/report.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
