"""A server that asks everybody to sign in, with a provider of its own on this machine, in Chromium."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.dashboard import launched, served
from tests.e2e.offline import visited
from tests.e2e.tab import Tab
from tests.e2e.test_server import ask

pytest.importorskip("authlib", reason="the extra [signin] is not installed")

pytestmark = pytest.mark.slow


def test_no_page_opens_before_a_person_has_signed_in(browser: Browser, tmp_path: Path) -> None:
    from tests.e2e.provider import CLIENT, PERSON, SECRET, Provider

    secrets = tmp_path / "secrets.toml"
    server = launched("--sign-in", str(secrets))
    origin = f"http://127.0.0.1:{server.port}"
    with served(Provider()) as provider:
        told = {
            "redirect_uri": f"{origin}/oauth2callback",
            "cookie_secret": "x" * 40,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "server_metadata_url": f"{provider.address}/.well-known/openid-configuration",
        }
        secrets.write_text("[auth]\n" + "".join(f'{name} = "{value}"\n' for name, value in told.items()))
        with server as address:
            place = address.removeprefix("http://")
            assert "Please sign in" in visited(place, "k=3"), "a deep link to a server that nobody has visited yet"
            assert ask(address, "/oauth2callback?state=forged&code=1").status == 302
            context = browser.new_context()
            tab = Tab(context, address)
            tab.go("tradeoff?alpha=2&k=3")
            assert tab.title() == "Please sign in"
            assert tab.page.get_by_test_id("stSidebarNav").count() == 0
            tab.page.get_by_role("button", name="Sign in").click()
            tab.page.locator(".stPlotlyChart").first.wait_for()
            tab.rest()
            assert tab.page.url.startswith(f"{address}/tradeoff?")
            assert "k=3" in tab.page.url
            assert "TRADE-OFF · EXAMPLE · K = 3" in tab.text().upper()
            assert PERSON["email"] in tab.page.get_by_test_id("stSidebar").inner_text()
            tab.page.get_by_role("button", name="Sign out").click()
            tab.page.get_by_role("heading", name="Please sign in").wait_for()
            tab.go("tradeoff")
            assert tab.title() == "Please sign in"
            context.close()
