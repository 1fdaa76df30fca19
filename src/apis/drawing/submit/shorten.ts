import type { Route } from '../../../gateway/route.ts'
import { versionOf } from '../images/imagined.ts'
import { readPrompt, type DrawingPrompt } from '../images/prompt.ts'
import { shortenedPrompts } from '../images/shortened-prompts.ts'
import type { DrawingTasks } from '../task.ts'
import { taskRoute } from '../task-route.ts'

/**
 * A long prompt made shorter.
 * @assumed §4.6 it is not among the shown operations; wire §7.3.
 */
export function shortenRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return taskRoute<undefined, { prompt: DrawingPrompt; version: string }>(
    {
      operation: 'mj.shorten',
      action: () => 'SHORTEN',
      validate: (body) => {
        const prompt = readPrompt(body['prompt'], settings)
        return { prompt, version: versionOf(prompt, body['botType']) }
      },
      wish: ({ prompt, version }) => ({
        action: 'SHORTEN',
        prompt: prompt.prompt,
        version,
        flagged: prompt.flags.mode,
        seed: undefined,
        shows: () => ({ kind: 'shorten', prompts: shortenedPrompts(prompt.prompt) }),
        shape: prompt.shape,
        problem: prompt.problem,
      }),
    },
    tasks,
  )
}
