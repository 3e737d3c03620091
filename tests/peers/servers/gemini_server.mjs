// Gemini CLI's own policy engine behind standard input and output: a policy file, a mode and calls on each line, its decisions on the next.
import { createInterface } from 'node:readline';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

console.log = console.info = console.debug = console.error; // answers alone go to standard output
const policy = (name) => import(pathToFileURL(join(process.argv[2], 'dist/src/policy', name)).href);
const defaults = join(process.argv[2], 'dist/src/policy/policies');
const { PolicyEngine } = await policy('policy-engine.js');
const { loadPoliciesFromToml } = await policy('toml-loader.js');

async function decide({ toml, mode, interactive, calls }) {
  const folder = mkdtempSync(join(tmpdir(), 'policy-'));
  try {
    writeFileSync(join(folder, 'rules.toml'), toml);
    const { rules, errors } = await loadPoliciesFromToml([defaults, folder], (place) => (place === folder ? 4 : 1));
    if (errors.some((error) => error.severity !== 'warning')) return { errors };
    const engine = new PolicyEngine({ rules, approvalMode: mode, nonInteractive: !interactive });
    const decisions = [];
    for (const [name, args] of calls) decisions.push((await engine.check({ name, args })).decision);
    return decisions;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await decide(JSON.parse(line))) + '\n');
}
