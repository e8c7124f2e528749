"""Files that are written whole or not at all."""

import pytest

from icllib.files import write_text, write_together


def test_no_file_is_replaced_before_all_are_written(tmp_path):
    old, blocked = tmp_path / "old", tmp_path / "old" / "below_a_file"
    old.write_text("old")
    with pytest.raises(OSError):
        write_together({old: "new", blocked: "new"})
    assert old.read_text() == "old" and list(tmp_path.iterdir()) == [old]


def test_who_reads_while_a_file_is_replaced_reads_the_old_one_to_its_end(tmp_path):
    path, old = tmp_path / "file", "old" * 100_000
    path.write_text(old)
    with path.open() as reader:
        start = reader.read(3)
        write_text(path, "new")
        assert start + reader.read() == old
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]
