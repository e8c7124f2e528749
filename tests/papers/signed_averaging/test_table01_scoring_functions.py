from papers.signed_averaging import table01_scoring_functions


def test_two_printed_rows_rise_one_sigma_after_all_others():
    table = table01_scoring_functions.printed_steps()
    assert list(table.columns)[0] == "4 to 5" and len(table.columns) == 6
    ends = lambda cell: [float(end) for end in table.loc[cell].split(" to ")]
    for name in ("the others of Table 1", "all of Table 6"):
        assert ends((name, "6 to 7"))[1] <= ends((name, "7 to 8"))[0]
    for name in ("SSA", "softmax"):
        little, much = ends((name, "7 to 8")), ends((name, "8 to 9"))
        assert little[0] < ends((name, "6 to 7"))[0] and little[0] < much[0]
    assert table.loc["softmax", "9 to 10"] == "1.62"  # 45.35 / 27.99
