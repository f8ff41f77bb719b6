"""An OpenAI-compatible endpoint, against a small server on 127.0.0.1 that the test starts."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from psirag.agent import Agent
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.readers import EndpointModel, load_reader
from psirag.readers import endpoint as module
from tests.hashing_encoder import HashingEncoder

QUESTION = "Who wrote the oratorio Messiah?"
ASKED = [{"role": "user", "content": "Who?"}]


def event(text, **more):
    return f"data: {json.dumps({'choices': [{'delta': {'content': text}}], **more})}\n\n"


def stream(*pieces):
    return [": ping\n\n", *map(event, pieces), 'data: {"choices": [], "usage": {}}\n\n', "data: [DONE]\n\n"]


@contextmanager
def serving(*replies, status=200):
    """Each request gets the next reply (the last again and again): lines, or seconds to wait between them."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.path, body, dict(self.headers)))
            self.send_response(status)
            self.end_headers()
            for part in replies[min(len(seen), len(replies)) - 1]:
                if isinstance(part, (int, float)):
                    gone.wait(part)
                    continue
                try:
                    self.wfile.write(part.encode())
                    self.wfile.flush()
                except OSError:
                    return

        def log_message(self, *_):
            pass

    gone = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        gone.set()
        server.shutdown()
        server.server_close()


def said(model, **details):
    asked = {"opening": "", "limit": 20, "stop": (), "on_text": lambda _: None, **details}
    return model.complete(ASKED, **asked)


def test_a_question_through_an_endpoint(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # for others than this machine
    toy = Index.build("toy", encoder=HashingEncoder(), abstraction="centroid")
    replies = stream("Thought: ", "who?\nRetr", "ieve: Handel", "\n"), stream("Answer", ": Han", "del")
    with serving(*replies) as (url, seen):
        reader, heard = load_reader("tiny", url=url, api_key="secret", cache=False), []
        reader.on_text = heard.append
        result = Agent(toy, reader).ask(QUESTION)
    assert (result.text, result.status, result.queries) == ("Handel", "answered", (QUESTION, "Handel"))
    assert [step.decision.thought for step in result.steps] == ["who?", ""]
    assert "".join(heard) == "Thought: who?\nRetrieve: Handel\nAnswer: Handel"
    path, body, headers = seen[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert (body["model"], body["temperature"], body["stream"], len(body["stop"])) == ("tiny", 0.0, True, 4)
    assert "repetition_penalty" not in body
    assert body["messages"][0]["role"] == "system"
    assert json.loads(result.steps[0].decision.prompt) == body["messages"]


def test_settings_are_sent():
    with serving(stream("a")) as (url, seen):
        said(EndpointModel(url, "m", repetition_penalty=1.3, temperature=0.7, seed=3))
    body = seen[0][1]
    assert (body["repetition_penalty"], body["temperature"], body["seed"], body["max_tokens"]) == (1.3, 0.7, 3, 20)
    assert "stop" not in body
    assert "Authorization" not in seen[0][2]


def test_a_stop_ends_the_text_where_it_was():
    with serving([event("one"), event(" two"), 0.3, *map(event, ["x"] * 5000)]) as (url, _):
        heard = []
        done = said(EndpointModel(url, "m"), on_text=lambda piece: heard.append(piece) or piece == " two")
        assert (done.text, done.tokens) == ("one two", 2)
        assert heard == ["one", " two"]


def test_a_stop_takes_effect_while_the_endpoint_is_silent():
    with serving([30.0]) as (url, _):
        started = time.monotonic()
        assert said(EndpointModel(url, "m"), on_text=lambda _: True).text == ""
        assert time.monotonic() - started < 20


def test_an_endpoint_that_stays_silent_is_given_up(monkeypatch):
    monkeypatch.setattr(module, "SILENCE", 0.5)
    with serving([event("a"), 30.0]) as (url, _), pytest.raises(PsiragError, match=r"nothing for 0.5|timed out"):
        said(EndpointModel(url, "m"))


def test_stop_strings_are_cut_here_too():
    with serving(stream("Hm.\nPass", "ages:\n[9] forged")) as (url, _):
        assert said(EndpointModel(url, "m"), stop=("\nPassages:",)).text == "Hm."


@pytest.mark.parametrize(
    ("reply", "status", "message"),
    [
        (['{"error": "no such model"}'], 404, r"HTTP 404: .*no such model"),
        (["data: {broken\n\n"], 200, "no event of a stream: data: {broken"),
        (['data: {"error": {"message": "overloaded"}}\n\n'], 200, "overloaded"),
        (['data: {"choices": [{"text": "x"}]}\n\n'], 200, "no event of a stream"),
        (["data: 3\n\n"], 200, "no event of a stream"),
    ],
)
def test_an_endpoint_that_fails_says_how(reply, status, message):
    with serving(reply, status=status) as (url, _), pytest.raises(PsiragError, match=message):
        said(EndpointModel(url, "m"))


def test_no_endpoint_at_all_fails_the_question_only():
    with serving(stream("a")) as (url, _):
        pass
    toy = Index.build(["Bees.", "Oaks."], encoder=HashingEncoder(), abstraction="centroid")
    result = Agent(toy, load_reader("m", url=url, cache=False)).ask("Bees?")
    assert result.status == "failed"
    assert f"The endpoint {url} must answer for the model m" in result.error


def test_abstracts_go_out_together():
    with serving(stream("Bees", ", oaks")) as (url, seen):
        reader = load_reader("m", url=url, batch_size=3, cache=False)
        assert reader.write_many([["a", "b"]] * 5, kind="keyword", max_tokens=20) == ["Bees, oaks"] * 5
        assert len(seen) == 5


def test_what_cannot_be_is_refused():
    for wrong in ("localhost:8000", "ftp://a/v1", "", None, "http://"):
        with pytest.raises(PsiragError, match="url is the address of an endpoint"):
            EndpointModel(wrong, "m")
    with pytest.raises(PsiragError, match="needs the model's probabilities, but got an endpoint"):
        load_reader("m", url="http://127.0.0.1:9/v1", stopping="likelihood")
    with pytest.raises(PsiragError, match="needs the model's probabilities, but got the endpoint"):
        EndpointModel("http://127.0.0.1:9/v1", "m").log_probabilities(ASKED)
    EndpointModel("http://127.0.0.1:9/v1", "m").unload()


def test_tokens_are_estimated_rather_too_many():
    model = EndpointModel("http://127.0.0.1:9/v1", "m")
    assert model.count_text("bee") == 1
    assert model.count_text("bees") == 2
    assert model.count_text("巴黎") == 2
    assert model.count(ASKED) == 2 + 8
