"""The Gemini API (generateContent, streamGenerateContent), as Gemini CLI speaks it."""

from __future__ import annotations

import json
from typing import Any

from driver.model import Outcome


class GeminiApi:
    """`Dialect`."""

    def speaks(self, path: str) -> bool:
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def outcome(self, body: dict[str, Any]) -> Outcome | None:
        parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
        found = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if not found:
            return None
        response = found[-1].get("response") or {}
        return Outcome("error" in response, json.dumps(response))

    def offers(self, body: dict[str, Any]) -> bool:
        wants_json = (body.get("generationConfig") or {}).get("responseMimeType") == "application/json"
        return bool(body.get("tools")) and not wants_json

    def reply(self, path: str, body: dict[str, Any], call: dict[str, Any] | None) -> tuple[str, str]:
        part: dict[str, Any] = {"text": "{}" if body.get("generationConfig", {}).get("responseMimeType") else "done"}
        if call is not None:
            part = {"functionCall": {"id": "call-1", "name": call["tool"], "args": call["input"]}}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        answer = json.dumps({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"})
        if path.endswith(":streamGenerateContent"):
            return "text/event-stream", f"data: {answer}\n\n"
        return "application/json", answer

    def side_reply(self, path: str) -> str:
        return json.dumps({"totalTokens": 1})
