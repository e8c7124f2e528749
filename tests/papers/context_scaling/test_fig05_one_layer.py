from icllib.training import workers
from papers.context_scaling import fig05_one_layer


def test_a_few_steps_start_no_second_process(results, monkeypatch):
    def refuse(*given):
        raise AssertionError("a second process for a few steps")

    monkeypatch.setattr(workers, "Worker", refuse)
    monkeypatch.setattr(workers, "processors", lambda: ["cpu", "cpu"])
    runs = fig05_one_layer.runs("smoke")[:2]
    workers.compute_fleets(runs, runs, "smoke", results / "test")
    assert len(list(results.glob("test/smoke/*.json"))) == 2
