import { expect, it } from 'vitest'
import { lintScenario } from '../../src/files/lint/lint.ts'
import { parseScenario } from '../../src/files/parse.ts'
import { needs } from '../support/needs.ts'

/** What is found in a scenario: severity, place and message in a line each. */
const findings = async (text: string): Promise<string[]> => {
  const { scenario } = await parseScenario(`version: 1\n${text}\n`, 'it.yaml')
  return lintScenario(scenario).map(
    ({ severity, place, message }) => `${severity} at ${place.map(String).join('.')}: ${message}`,
  )
}

const submits = 'video.submit, videos.create, videos.remix, mj.imagine'
const autoOnly = (key: string): string =>
  `advice at clock.${key}: clock.${key} is for mode auto: in mode manual it has no effect until the control API changes the mode. ` +
  'Leave it out, or take mode: auto.'

it.each<[string, string[]]>([
  [
    'rules: [{ match: { op: video.poll }, on: [1, 2, 3], times: 2, delay: 1s }]',
    [
      'mistake at rules.0.times: rule "rule-1" is to fire on 1, 2, 3, but only 2 times: on 3 it never does. Leave times out.',
    ],
  ],
  [
    'rules: [{ match: { op: video.poll }, on: [1, 2, 5], every: 2, delay: 1s }]',
    [
      'mistake at rules.0.on: rule "rule-1" is to fire on 1, 5, but only every 2nd time: on 1, 5 it never does. Leave one out.',
    ],
  ],
  [
    'rules: [{ match: { op: video.poll }, on: [1, 2, 4], from: 3, delay: 1s }]',
    [
      'mistake at rules.0.on: rule "rule-1" never fires on 1, 2: it begins with 3. Change on, or leave from out.',
    ],
  ],
  [
    'rules: [{ match: { op: "video.p*" }, task: { render: 1s } }, { match: { op: mj.fetch }, answer: { text: a } }]',
    [
      `mistake at rules.0.task: rule "rule-1" has task, but video.poll never makes a task. Match ${submits} or the like.`,
      expect.stringMatching(
        /^mistake at rules\.1\.answer: rule "rule-2" has answer, but mj\.fetch never says a text\. Match (?:[\w.-]+, ){3}[\w.-]+(?: or the like)?\.$/,
      ),
    ],
  ],
  [
    'throttles: [{ match: { op: "video.p*" }, workers: 1 }, { id: it, match: { op: mj.fetch }, workers: 1 }]',
    [
      `mistake at throttles.0.workers: throttle "throttle-1" has workers, but video.poll never makes a task. Match ${submits} or the like.`,
      `mistake at throttles.1.workers: throttle "it" has workers, but mj.fetch never makes a task. Match ${submits} or the like.`,
    ],
  ],
  [
    'throttles: [{ match: { op: video.submit, state: queued }, concurrent: 1 }]',
    [
      'mistake at throttles.0.match.state: throttle "throttle-1" never fires: video.submit is about no task yet, so there is no state. ' +
        'Leave state out, or match video.poll or the like.',
    ],
  ],
  [
    'throttles: [{ id: it, match: { op: video.submit }, concurrent: 1, respond: { status: 300 } }]',
    [
      'mistake at throttles.0.respond.status: throttle "it": respond.status has no effect: only an answer from 400 on refuses by its ' +
        'status alone. Leave one out.',
    ],
  ],
  [
    'rules: [{ match: { op: video.poll }, when: { vars: { a: 1, b: { min: 2 } } }, set: { b: { add: 1 } } }]',
    [
      'mistake at rules.0.when.vars.a: rule "rule-1" never fires: no rule sets the variable "a". Add set to a rule, or leave it out.',
    ],
  ],
  [
    'rules: [{ match: { op: video.poll }, when: { vars: { a: x } }, set: { a: y } }]',
    [
      'mistake at rules.0.when.vars.a: rule "rule-1" never fires: no rule sets the variable "a" to "x". Add set to a rule, or leave it out.',
    ],
  ],
  [
    'rules: [{ id: it, match: { op: video.poll } }]',
    [
      'mistake at rules.0: rule "it" has no effect. Add respond, fault, delay, task, answer, stream, media, attempts or set, or remove the rule.',
    ],
  ],
  [
    `rules:
  - match: { op: video.submit }
    task:
      timeline:
        - { after: 5s, status: IN_PROGRESS }
        - { after: 2s, status: SUCCESS }
        - { after: 3s, status: queued }
        - { after: 4s, status: SUCESS }
        - { after: 6s, progress: 40% }
        - { after: 7s, progress: 30 }`,
    [
      'mistake at rules.0.task.timeline.3.status: no task is ever SUCESS. Did you mean "SUCCESS"? Use queued, IN_PROGRESS, SUCCESS, FAILURE, NOT_START, MODAL, SUBMITTED.',
    ],
  ],
  [
    'clock: { mode: manual, limit: 3h, assume: [poll], participants: 2, pollStep: 2s }\ndrive: [{ flow: chat, size: 8x8, n: 2 }]',
    [
      "mistake at clock.mode: drive can't run on a clock of mode manual, which nothing moves. Use mode: auto, or leave drive out and run a " +
        'command that advances the clock.',
      autoOnly('pollStep'),
      autoOnly('assume'),
      autoOnly('participants'),
      autoOnly('limit'),
      'mistake at drive.0.size: size is for video, openai-video: flow chat ignores it. Leave it out.',
    ],
  ],
  [
    'expect: { tasks: [{ op: video.submit, kind: drawing }], requests: [{ op: chat.complete, kind: video }] }',
    [
      'mistake at expect.tasks.0.kind: video.submit concerns no drawing task. Leave kind out.',
      'mistake at expect.requests.0.kind: chat.complete concerns no video task. Leave kind out.',
    ],
  ],
  [
    'rules: [{ match: { op: video.poll }, on: [2, 3], delay: 1s }]\nexpect: { rules: { rule-1: { fired: 3 } } }',
    [
      'mistake at expect.rules.rule-1.fired: rule "rule-1" fires at most 2 times (on 2, 3), never 3 times. Expect 2 at most, or change the rule.',
    ],
  ],
  [
    'rules: [{ match: { op: video.poll }, attempts: [{ respond: { status: 503 }, fault: reset }, { fault: hang }], fault: close }]',
    [
      'mistake at rules.0.fault: rule "rule-1": fault has no effect: every attempt has its own fault. Leave one out.',
      'mistake at rules.0.attempts.0.respond: rule "rule-1": attempts.0.respond has no effect: the fault reset prevents any response. Leave one out.',
    ],
  ],
  [
    'rules: [{ match: { op: chat.complete }, answer: { text: a }, stream: { text: b, gap: 1s } }]',
    [
      'mistake at rules.0.stream.text: rule "rule-1": stream.text has no effect: answer is sent instead. Leave one out.',
    ],
  ],
  [
    'rules: [{ match: { op: video.submit }, task: { outcome: fail } }, { match: { op: "mj.*" }, task: { outcome: FAILURES } }]',
    [
      'mistake at rules.0.task.outcome: rule "rule-1": no task ends as "fail". Use success, failure, cancelled, SUCCESS, FAILURE.',
      'mistake at rules.1.task.outcome: rule "rule-2": no task ends as "FAILURES". Did you mean "failure"? Use success, failure, cancelled, SUCCESS, FAILURE.',
    ],
  ],
  [
    'drive: [{ flow: video }]\nexpect: { tasks: [{ nth: 2 }], requests: [{ op: "*", taskNth: 2 }] }',
    [
      'mistake at expect.tasks.0.nth: nth is 2, but drive makes 1 task at most. Lower it, or raise n of a step.',
      'mistake at expect.requests.0.taskNth: taskNth is 2, but drive makes 1 task at most. Lower it, or raise n of a step.',
    ],
  ],
])('finds in %j nothing else than its mistakes', async (text, found) => {
  if (JSON.stringify(found).includes('openai-video')) needs('videos.create')
  if (JSON.stringify(found).includes('NOT_START')) needs('mj.imagine')
  expect(await findings(text)).toEqual(found)
})
