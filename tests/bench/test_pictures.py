"""The gallery: a picture of every bundled game that has one, and a page with all of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from playout.game.load import bundled
from playout.report.clean import clean

SCRIPT = Path(__file__).parents[2] / "bench" / "pictures.py"


def test_every_game_is_in_the_gallery(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("pictures", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    count = script.main(tmp_path / "new" / "gallery", seed=2)
    found = {file.stem for file in tmp_path.glob("new/gallery/*.svg")}
    assert found >= set(bundled()) - {"loss-1d", "loss-3d", "polynomial", "stackelberg"}
    for file in tmp_path.glob("new/gallery/*.svg"):
        assert not clean(file.read_text(encoding="utf-8")).trouble
    page = (tmp_path / "new" / "gallery" / "index.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == len(found) == count and "<b>connect-four</b>, 7 of 7 actions by clicks" in page
