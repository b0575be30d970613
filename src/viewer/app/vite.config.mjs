// The viewer's browser part as one script and one style sheet, for the pages that `page.ts` puts together.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const place = (path) => fileURLToPath(new URL(path, import.meta.url));

const styles = {
  name: "styles",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "viewer.css", source: readFileSync(place("style.css"), "utf8") });
  },
};

export default defineConfig({
  root: place("."),
  logLevel: "warn",
  publicDir: false,
  plugins: [styles],
  build: {
    target: "es2022",
    outDir: place("../../../dist/viewer/bundle"),
    emptyOutDir: true,
    reportCompressedSize: false,
    lib: { entry: place("main.ts"), formats: ["es"], fileName: () => "viewer.js" },
  },
});
