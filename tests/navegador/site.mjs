// The demonstration book, built by the real binary and served on the loopback address.
import { after } from "node:test";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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
  // With what is kept from the last build, nothing is computed again.
  for (const part of ["content", ".escritura"])
    if (existsSync(join(repository, part))) cpSync(join(repository, part), join(book, part), { recursive: true });
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

/** A file of a folder as it travels: headers and bytes, or nothing. */
const load = (folder, path) => {
  const file = resolve(folder, decodeURIComponent(path));
  const isFile = file.startsWith(folder + sep) && statSync(file, { throwIfNoEntry: false })?.isFile();
  if (!isFile) return null;
  const ending = extname(file);
  const headers = { "content-type": types[ending] ?? "application/octet-stream" };
  const bytes = readFileSync(file);
  if (packed.has(ending)) return { headers, bytes };
  return { headers: { ...headers, "content-encoding": "gzip" }, bytes: gzipSync(bytes) };
};

/**
 * Serves a folder under a path as a plain static host would, compressed, and returns
 * its address.
 */
export const serve = async (folder, prefix = "/") => {
  const kept = new Map();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    // Hosts keep their files compressed: only the first reader waits for it.
    if (!kept.has(path)) kept.set(path, path.startsWith(prefix) ? load(folder, path.slice(prefix.length)) : null);
    const found = kept.get(path);
    const { headers, bytes } = found ?? load(folder, "404.html");
    response.writeHead(found ? 200 : 404, headers).end(bytes);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}${prefix}`;
};
