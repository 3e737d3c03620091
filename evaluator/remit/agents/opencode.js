// remit's bridge into OpenCode: every tool call is judged before it runs. Whatever goes wrong blocks the call.
import { spawnSync } from "node:child_process"

const COMMAND = [] // filled in by `remit install opencode`: interpreter, launcher, arguments

export const Remit = async ({ directory, worktree }) => ({
  "tool.execute.before": async (input, output) => {
    const call = { event: "tool.execute.before", tool: input.tool, args: output.args ?? {}, sessionID: input.sessionID ?? "", directory, worktree: worktree === "/" ? directory : worktree }
    const done = spawnSync(COMMAND[0], COMMAND.slice(1), { input: JSON.stringify(call), encoding: "utf8", timeout: 10_000, maxBuffer: 1 << 20 })
    if (done.error || done.status !== 0) {
      throw new Error((done.stderr || "").trim() || `remit: the hook failed (${done.error?.code ?? done.signal ?? done.status})`)
    }
    const answer = done.stdout.trim()
    if (answer !== "") throw new Error(JSON.parse(answer).reason)
  },
})
