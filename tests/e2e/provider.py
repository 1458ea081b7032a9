"""A provider of OpenID Connect on this machine, which knows one client and lets one person in."""

import base64
import json
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwk, jwt

CLIENT, SECRET = "fairviz-tests", "known to both"
PERSON = {"sub": "7", "email": "ada@study.example", "name": "Ada"}


class Provider(ThreadingHTTPServer):
    """Discovery, a sign-in that asks nothing, tokens with a signed ``id_token``, and the key that signed it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.key = jwk.ECKey.generate_key("P-256", {"kid": "tests", "use": "sig"})
        self.asked: dict[str, dict[str, str]] = {}

    @property
    def address(self) -> str:
        """Its issuer."""
        return f"http://127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
            self._json(
                {
                    "issuer": self.server.address,
                    **{name: f"{self.server.address}/{path}" for name, path in ends.items()},
                    "id_token_signing_alg_values_supported": ["ES256"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )
        elif parts.path == "/jwks":
            self._json({"keys": [self.server.key.as_dict(private=False)]})
        elif parts.path == "/authorize" and asked["client_id"] == CLIENT:
            code = token_urlsafe()
            self.server.asked[code] = asked
            self.send_response(302)
            back = urlencode({"code": code, "state": asked["state"]})
            self.send_header("Location", f"{asked['redirect_uri']}?{back}")
            self.end_headers()
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        asked = self.server.asked.pop(sent["code"][0])
        challenge = base64.urlsafe_b64encode(sha256(sent["code_verifier"][0].encode()).digest()).rstrip(b"=").decode()
        known = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        assert self.headers["Authorization"] == f"Basic {known}"
        assert challenge == asked["code_challenge"]
        now = int(time.time())
        claims = {**PERSON, "iss": self.server.address, "aud": CLIENT, "iat": now, "exp": now + 60}
        claims["nonce"] = asked["nonce"]
        signed = jwt.encode({"alg": "ES256", "kid": "tests"}, claims, self.server.key)
        self._json({"access_token": token_urlsafe(), "token_type": "Bearer", "expires_in": 60, "id_token": signed})

    def _json(self, content: object) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass
