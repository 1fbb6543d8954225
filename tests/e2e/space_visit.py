"""A Space's page in Chromium."""

import pytest

WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
SHOWN = "document.querySelector('#result :is(.qa-result, .qa-problem)')?.outerHTML"

# Violations in components of Gradio: the name of the rule, and a part of the element.
OF_GRADIO = {"label-content-name-mismatch": "upload-container"}


class Opened:
    """An open page, with the errors on it, including requests to other servers."""

    def __init__(self, browser, url, size=WIDTHS["desktop"], scheme="light"):
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        self.page, self.wrong, own = self.context.new_page(), [], (url, "data:", "blob:")
        self.page.set_default_timeout(60_000)
        self.page.on("console", lambda entry: entry.type == "error" and self.wrong.append(entry.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: request.url.startswith(own) or self.wrong.append(request.url))
        self.page.goto(url)

    def __enter__(self):
        return self.page

    def __exit__(self, kind, *_):
        self.context.close()
        if kind is None:
            assert self.wrong == []


class Visit(Opened):
    """An open page of a Space."""

    def __init__(self, browser, server, width, scheme="light"):
        super().__init__(browser, server.url, WIDTHS[width], scheme)
        self.tab("Answer")  # a Space with a demo opens with the demo
        self.page.locator(".qa-result").wait_for()

    def __enter__(self):
        return self

    def tab(self, name):
        """Open a tab."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    def resize(self, width):
        """Set the width of the window."""
        size = WIDTHS[width]
        self.page.set_viewport_size({"width": size[0], "height": size[1]})

    def box(self, name):
        """Return a box of the form."""
        return self.page.locator(f"#box-{name} textarea")

    def shown(self):
        """Return the HTML of the result."""
        return self.page.evaluate(SHOWN)

    def changed(self, act):
        """Do something, wait until the result has changed, and return its text."""
        before = self.shown()
        act()
        self.page.wait_for_function(f"before => ![before, undefined].includes({SHOWN})", arg=before)
        return self.page.locator("#result").inner_text()

    def tab_to(self, selector):
        """Press the tab key until an element has the focus, which is lost when Gradio draws the page again."""
        for _ in range(100):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        pytest.fail(f"the tab key does not reach {selector}")

    def score(self):
        """Press the button, and return the text of the result."""
        return self.changed(self.page.locator("#score").click)

    def upload(self, path):
        """Choose a file, wait until it has been read, and return the status."""
        self.page.locator("#file input[type=file]").set_input_files(path)
        self.page.locator("#status").get_by_text(path.name).first.wait_for()
        return self.page.locator("#status").inner_text()

    def score_examples(self):
        """Score the example data in the tab File."""
        self.page.locator("#take-examples").click()
        self.page.get_by_text("to score.").wait_for()
        self.page.locator("#score-file").click()
        self.page.locator("#results .qa-figures").wait_for()

    def select_row(self, number):
        """Click on a row of the results, and return its explanation."""
        self.page.locator(f"#answers [role=gridcell][data-row='{number}']").nth(3).click()
        self.page.locator("#row .qa-result").first.wait_for()
        return self.page.locator("#row").inner_text()


def overflow(page):
    """Return the number of pixels by which the page is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def violations(page, axe):
    """Return the violations that axe calls serious or critical, except for those of Gradio."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        f"{rule['id']}: {node['html'][:200]} ({node['any'][0]['message'] if node['any'] else ''})"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
        if OF_GRADIO.get(rule["id"], "nowhere") not in node["html"]
    ]
