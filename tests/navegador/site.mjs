// The demonstration book, built by the real binary and served on the loopback address.
import { after } from "node:test";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve, sep } from "node:path";
import { gzipSync } from "node:zlib";

export const repository = resolve(import.meta.dirname, "../..");
const binary = resolve(repository, process.env.ESCRITURA_BIN ?? "target/release/escritura");

/** A folder that goes when the tests of the file end. */
export const scratch = () => {
  const folder = mkdtempSync(join(tmpdir(), "escritura-navegador-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Builds the book in `book` and returns the folder of the site. */
export const build = (book) => {
  const folder = join(scratch(), "sitio");
  execFileSync(binary, ["construir", "--estricto", "--destino", folder], { cwd: book, stdio: ["ignore", "ignore", "inherit"] });
  return folder;
};

/** Builds the demonstration book as it would be published under an address. */
export const buildFor = (address) => {
  const book = scratch();
  cpSync(join(repository, "content"), join(book, "content"), { recursive: true });
  const options = readFileSync(join(repository, "book.toml"), "utf8");
  writeFileSync(join(book, "book.toml"), options.replace("[output.html]", `[output.html]\nsite-url = "${address}"`));
  return build(book);
};

/** The paths of the files of a site that end in one of the given ways, in order. */
export const files = (folder, ...endings) =>
  readdirSync(folder, { recursive: true })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => endings.includes(extname(path)))
    .sort();

const types = {
  ".css": "text/css",
  ".csv": "text/csv",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
  ".xml": "application/xml",
};
const packed = new Set([".png", ".woff2"]);

const load = (folder, path) => {
  const file = resolve(folder, decodeURIComponent(path));
  if (!file.startsWith(folder + sep)) return null;
  try {
    return { ending: extname(file), bytes: readFileSync(file) };
  } catch {
    return null;
  }
};

/**
 * Serves a folder under a path as a plain static host would, compressed, and returns
 * its address.
 */
export const serve = async (folder, prefix = "/") => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const found = path.startsWith(prefix) ? load(folder, path.slice(prefix.length)) : null;
    const { ending, bytes } = found ?? load(folder, "404.html");
    const headers = { "content-type": types[ending] ?? "application/octet-stream" };
    const packs = !packed.has(ending);
    if (packs) headers["content-encoding"] = "gzip";
    response.writeHead(found ? 200 : 404, headers).end(packs ? gzipSync(bytes) : bytes);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}${prefix}`;
};
