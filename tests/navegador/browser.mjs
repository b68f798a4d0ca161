// Debian's Chromium, and a page in it that tolerates no fault of its own.
import assert from "node:assert/strict";
import { after } from "node:test";
import { chromium } from "playwright-core";

export const schemes = ["light", "dark"];

// Without these the browser calls home, or cannot start as root or without a screen.
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
// Where there is no browser this throws, and the tests fail: none is skipped.
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
after(() => browser.close());

/** What a page must never do: complain, ask another host for something, or miss a file. */
const watch = (page, faults, missing) => {
  const own = (url) => new URL(url).origin === new URL(page.url()).origin;
  const local = (url) => /^(data|blob|about):/.test(url);
  page.on("console", (message) => {
    const { url } = message.location();
    // The icon is the browser's own idea, for a drawing opened by itself.
    if (url === missing || url.endsWith("/favicon.ico")) return;
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error}`));
  page.on("requestfailed", (request) => faults.push(`failed: ${request.url()}`));
  page.on("response", (response) => {
    const bad = response.status() >= 400 && response.url() !== missing;
    if (bad) faults.push(`${response.status()}: ${response.url()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!request.isNavigationRequest() && !local(url) && !own(url)) faults.push(`another host: ${url}`);
  });
};

/**
 * Opens an address in a browser without history, does something with the page and
 * fails on whatever went wrong meanwhile.
 * Options: `width`, `height`, `scheme`, `scripts` (false: off), `text` (how many
 * times larger the reader wants the letters), `permissions`, `missing` (nothing is
 * expected at the address), `before` (given the page and a session of the browser's
 * own protocol, before the address is opened).
 */
export const visit = async (address, options, use) => {
  const { width = 1280, height = 900, scheme = "light", scripts = true, text = 1, permissions, missing, before } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    javaScriptEnabled: scripts,
    reducedMotion: "reduce",
    permissions,
  });
  try {
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    // The browser's own setting, 16 px unless the reader changes it.
    if (text !== 1) await protocol.send("Page.setFontSizes", { fontSizes: { standard: 16 * text, fixed: 13 * text } });
    await before?.(page, protocol);
    const faults = [];
    watch(page, faults, missing ? address : null);
    await page.goto(address);
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    const result = await use(page, protocol);
    assert.deepEqual(faults, [], address);
    return result;
  } finally {
    await context.close();
  }
};

/** Unfolds everything on the page. */
export const unfold = (page) =>
  page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
