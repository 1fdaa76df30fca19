import type { DriveStep, Flow } from '../../drive.ts'
import type { Finding } from '../finding.ts'
import type { FileScenario } from '../types.ts'

const videos: readonly Flow[] = ['video', 'openai-video']
const tasks: readonly Flow[] = [...videos, 'drawing']

/** What only some flows make anything of. */
const flowsOf = {
  model: [...videos, 'text', 'text-stream', 'chat', 'chat-stream'],
  seconds: videos,
  size: videos,
  pollEvery: tasks,
  download: tasks,
  verify: tasks,
  actions: ['drawing'],
} as const satisfies Partial<Record<keyof DriveStep, readonly Flow[]>>

/** What a step says and its flow leaves undone. */
export function lintDrive({ drive = [] }: FileScenario): Finding[] {
  return drive.flatMap((step, index) =>
    Object.entries(flowsOf)
      .filter(([key, flows]) => Object.hasOwn(step, key) && !flows.includes(step.flow as never))
      .map(([key, flows]) => ({
        severity: 'mistake',
        place: ['drive', index, key],
        message: `${key} is for ${flows.join(', ')}: flow ${step.flow} makes nothing of it. Leave it out.`,
      })),
  )
}
