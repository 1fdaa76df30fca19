// What the figures are to reach, and whether they do.
import { show } from './figures.js'
import { figuresOf, formatFigure } from './page.js'

const rate = 'answers in a second'
const latency = '99th percentile of latency'
const toAimock = 'greenroom relative to aimock'

/** @typedef {{ aim: string, section: string, row: string, column: string, atLeast?: number, atMost?: number }} Aim */

/** @type {readonly Aim[]} */
export const aims = [
  {
    aim: 'Polls, relative to bare',
    section: 'Polls of a video',
    row: 'greenroom',
    column: rate,
    atLeast: 0.6,
  },
  {
    aim: 'Polls, relative to bare',
    section: 'Polls of a video',
    row: 'greenroom',
    column: latency,
    atMost: 2,
  },
  {
    aim: 'Texts, native, relative to aimock',
    section: 'Texts, native',
    row: toAimock,
    column: rate,
    atLeast: 1.3,
  },
  {
    aim: 'Texts, as chats, relative to aimock',
    section: 'Texts, as chats',
    row: toAimock,
    column: rate,
    atLeast: 1.6,
  },
  {
    aim: 'Streams, relative to aimock',
    section: 'Streams of 50 chunks, as chats',
    row: toAimock,
    column: rate,
    atLeast: 1.8,
  },
  {
    aim: 'Streams, relative to bare',
    section: 'Streams of 50 chunks, as chats',
    row: 'greenroom',
    column: rate,
    atLeast: 0.8,
  },
  {
    aim: 'Heap after 1,000,000 polls, relative to before',
    section: 'Scale',
    row: 'Heap after 1000000 polls, relative to before',
    column: 'measured',
    atMost: 1.05,
  },
  {
    aim: 'A render of three minutes, judged by `greenroom run`',
    section: 'Virtual time',
    row: 'A render of three minutes, 37 polls',
    column: 'from the start of the process',
    atMost: 700,
  },
  {
    aim: 'Runs of `greenroom explore`, with virtual timers',
    section: 'Exploration',
    row: 'sleeps by `setTimeout`, with `--virtual-timers`',
    column: 'in a minute',
    atLeast: 500,
  },
  {
    aim: 'Runs of `greenroom explore`, in Python',
    section: 'Exploration',
    row: 'in Python, with `--virtual-timers`',
    column: 'in a minute',
    atLeast: 250,
  },
  {
    aim: 'Polls of `greenroom serve`, relative to bare',
    section: 'Polls of a video',
    row: 'greenroom serve',
    column: rate,
    atLeast: 0.6,
  },
  {
    aim: 'Submits, relative to bare',
    section: 'Submits of a video',
    row: 'greenroom',
    column: rate,
    atLeast: 0.45,
  },
  {
    aim: 'Process start to first answer',
    section: 'Start',
    row: 'greenroom',
    column: 'relative to bare',
    atMost: 1.8,
  },
  {
    aim: 'Polls while 64 clips are rendered',
    section: 'Media',
    row: 'while 64 clips are rendered',
    column: '99th percentile of latency, relative to an idle server',
    atMost: 3,
  },
]

/**
 * A table of the aims.
 *
 * @param {ReadonlyMap<string, string>} sections bodies by title.
 */
export function aimsTable(sections) {
  const rows = aims.map(({ aim, section, row, column, atLeast, atMost }) => {
    const figures = figuresOf(section, sections.get(section) ?? '').filter((figure) => figure.row === row)
    const figure = figures.find((each) => each.column === column)
    const processor = figures.find((each) => each.column === 'processor time of each')
    const unit = figure?.unit ? ` ${figure.unit}` : ''
    const limit = atLeast === undefined ? `at most ${atMost}${unit}` : `at least ${atLeast}${unit}`
    const isMet = figure && figure.value >= (atLeast ?? -Infinity) && figure.value <= (atMost ?? Infinity)
    const cells = [
      aim,
      column === 'measured' ? 'memory' : column,
      limit,
      figure ? formatFigure(figure) : 'not measured',
      processor ? show(processor.value) : '',
      figure ? (isMet ? 'met' : 'missed') : '',
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| Aim | judged by | limit | measured | processor time of each | |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
