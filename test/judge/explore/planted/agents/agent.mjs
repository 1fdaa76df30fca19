// An agent: lets a model call two tools, runs them, and returns the text that follows. Its SDK is in another file.
export const prompt = 'What is the weather in Oslo, and what is the news about kites? Call both tools.'

/** The tools, each with its one parameter. */
export const tools = [
  { name: 'get_weather', field: 'city', description: 'The weather of a city' },
  { name: 'get_news', field: 'topic', description: 'The news about a topic' },
]

/** @param {string} field */
export const schemaOf = (field) => ({
  type: 'object',
  properties: { [field]: { type: 'string' } },
  required: [field],
})

/** @typedef {{ id: string, name: string, args: string }} Call The arguments are JSON. */
/** @typedef {{ text: string, calls: Call[], reason: string | undefined, message: any }} Turn */
/** @typedef {Error & { status?: number, isFinal?: boolean }} Failure */
/** @typedef {{ baseUrl: string, key: string, fetch?: typeof fetch }} Gateway */
/** @typedef {(ms: number) => Promise<unknown>} Sleep */
/**
 * What differs from SDK to SDK: it sends a turn, and puts the results of calls into messages.
 * @typedef {object} Sdk
 * @property {any} first
 * @property {(messages: any[], habits: typeof careful) => Promise<Turn>} ask
 * @property {(calls: Call[], values: string[]) => any[]} results
 */

/** What the agent does where agents go wrong. A planted bug replaces one of them. */
export const careful = {
  maxRounds: 8,
  /** @param {Turn} turn */
  checkEnd: ({ reason, text, calls }) => {
    if (reason !== 'complete') throw final(`the answer is not complete: ${reason}`)
    if (text === '' && calls.length === 0) throw final('the answer is empty')
  },
  /** @param {Turn} turn */
  checkStream: ({ reason }) => {
    if (reason === undefined) throw new Error('the stream was cut')
  },
  /** @param {any} response The response of Google's SDK. */
  partsOf: (response) => response.candidates?.[0]?.content?.parts ?? [],
}

/** @param {string} message */
const final = (message) => Object.assign(new Error(message), { isFinal: true })

/** What replaces a part of the careful agent. */
const bugs = {
  /** Takes every text for a whole one, however it ended. */
  'takes-any-end': { checkEnd: () => {} },
  /** Runs a call whose arguments were cut: a tool gets no city, and crashes. */
  'runs-cut-calls': { checkEnd: () => {} },
  /** Answers calls as long as the model makes any. */
  'answers-without-end': { maxRounds: Infinity },
  /** Takes what came before a stream was cut for all. */
  'takes-a-cut-stream': {
    checkStream: (/** @type {Turn} */ turn) => void (turn.reason ??= 'complete'),
    checkEnd: (/** @type {Turn} */ turn) => {
      if (turn.reason !== 'complete') throw final(`the answer is not complete: ${turn.reason}`)
    },
  },
  /** Reads the first part of the first candidate, which a blocked prompt does not have. */
  'expects-a-candidate': { partsOf: (/** @type {any} */ response) => response.candidates[0].content.parts },
}

/** @param {Call} call */
function runTool({ name, args }) {
  const { field } = tools.find((each) => each.name === name) ?? { field: '' }
  let values
  try {
    values = JSON.parse(args)
  } catch {
    values = {}
  }
  return `${name}: ${values[field].toUpperCase()} is fine`
}

/**
 * Runs the agent. @param {Sdk} sdk @param {Sleep} sleep @param {string} [bug] The name of a planted bug.
 * @returns {Promise<string>}
 */
export async function runAgent({ ask, first, results }, sleep, bug) {
  const habits = /** @type {typeof careful} */ ({
    ...careful,
    ...bugs[/** @type {keyof typeof bugs} */ (bug)],
  })
  const messages = [first]
  for (let round = 1; ; round++) {
    const { text, calls, message } = await askAgain(() => ask(messages, habits), habits, sleep)
    if (calls.length === 0) return text
    if (round > habits.maxRounds) throw new Error(`the model called tools in ${habits.maxRounds} rounds`)
    messages.push(message, ...results(calls, calls.map(runTool)))
  }
}

/** Requests a turn a few times. @param {() => Promise<Turn>} ask @param {typeof careful} habits @param {Sleep} sleep */
async function askAgain(ask, habits, sleep) {
  for (let failures = 1; ; failures++) {
    try {
      const turn = await ask()
      habits.checkStream(turn)
      habits.checkEnd(turn)
      return turn
    } catch (thrown) {
      const error = /** @type {Failure} */ (thrown)
      if (isOwnMistake(error)) throw error
      const { status = 503 } = error
      if (error.isFinal || failures === 5 || (status < 500 && status !== 429 && status !== 408)) throw error
      await sleep(15_000 * 2 ** failures)
    }
  }
}

/** Whether it is no error of the network, for which `fetch` throws a TypeError, too. @param {unknown} error */
export const isOwnMistake = (error) =>
  error instanceof TypeError && !/fetch|terminated|network/i.test(error.message)
