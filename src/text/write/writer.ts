import { compileSchema } from '../json-schema/schema.ts'
import { readTextDirectives, type DirectedText } from '../directives.ts'
import { findPromptSchema } from '../prompt-schema.ts'
import { readPromptValues } from '../prompt-values.ts'
import { lastUserText, analyzePrompt } from '../reading.ts'
import { AnswerTooLarge, SchemaRefused, type TextAnswer, type TextCandidate, type TextRequest, type TextSettings, type Writer } from '../spec.ts' // prettier-ignore
import { countPromptTokens } from '../tokens.ts'
import { compileParameters } from '../tool-calls.ts'
import { withResults } from '../tool-result.ts'
import { once } from '../../engine/once.ts'
import { fewCandidates, writeCandidate, type CandidateWriting } from './candidate.ts'
import { findFixed } from '../fixed-answer.ts'
import { conversationChance } from './multibyte.ts'
import { loadWords, rngFor, type Rng } from './random.ts'

/** Loads the word lists and creates a writer. The first call takes some 30 ms, so it belongs in a prepare step. */
export async function loadWriter(settings: TextSettings = {}): Promise<Writer> {
  const words = await loadWords()
  return {
    check(request) {
      compileSchemas(request)
    },
    answer(request, requestChance, given) {
      const isMultibyte = settings.mode === 'multibyte'
      const chance = isMultibyte ? conversationChance(requestChance, request) : requestChance
      const notes = compileSchemas(request)
      const lastText = lastUserText(request.turns)
      const directed =
        settings.promptDirectives === false ? { prompt: lastText } : readTextDirectives(lastText)
      const fixed =
        given ?? findFixed(settings.answers ?? [], { model: request.model, prompt: directed.prompt })
      const prompt = countPromptTokens(request)
      const blocked = fixed?.block ?? directed.block
      if (blocked !== undefined) {
        const usage = { prompt, answer: 0, thoughts: 0, total: prompt.total }
        return { blocked, candidates: [], usage, notes }
      }
      if (fixed?.empty) return { candidates: [], usage: usageOf(prompt, []), notes }
      const isEcho = settings.mode === 'echo'
      const isGiven = fixed !== undefined || directed.say !== undefined || isEcho
      const write = ({ request: asRead, directed: how }: AnalyzedRequest): TextCandidate[] => {
        const reading = once(() => analyzePrompt(asRead, how.prompt))
        const values = once(() => withResults(readPromptValues(how.prompt), asRead.turns))
        const writing = {
          request: asRead,
          directed: how,
          reading,
          values,
          fixed,
          words,
          isEcho,
          isMultibyte,
        }
        return writeCandidates(writing, isGiven, (index) => rngFor(chance, `candidate/${index}`))
      }
      const plain = { request, directed }
      const structured = isGiven ? undefined : withPromptSchema(plain)
      const candidates = (structured && tryWrite(() => write(structured))) ?? write(plain)
      return { candidates, usage: usageOf(prompt, candidates), notes }
    },
  }
}

/** The characters of all candidates together: an echo of the longest prompt fits once. */
const maxAnswerCharacters = 8_000_000

interface AnalyzedRequest {
  readonly request: TextRequest
  readonly directed: DirectedText
}

/** Adds an output format to a request whose prompt contains a JSON schema and requests JSON for it. */
function withPromptSchema({ request, directed }: AnalyzedRequest): AnalyzedRequest | undefined {
  const found = findPromptSchema(request, directed.prompt)
  if (found === undefined) return undefined
  const { schema, isFenced, prompt } = found
  return {
    request: { ...request, output: { kind: 'schema', schema, isFenced } },
    directed: { ...directed, prompt },
  }
}

/** Writes a value; undefined if no value fits a schema in a prompt. A model would write something else, too. */
function tryWrite<Value>(write: () => Value): Value | undefined {
  try {
    return write()
  } catch (error) {
    if (error instanceof SchemaRefused) return undefined
    throw error
  }
}

/** @throws {AnswerTooLarge} */
function writeCandidates(
  writing: CandidateWriting,
  isGiven: boolean,
  rngOf: (index: number) => Rng,
): TextCandidate[] {
  const { request } = writing
  const different = differentCandidates(request, isGiven)
  const candidates: TextCandidate[] = []
  let characters = 0
  for (let index = 0; index < different; index++) {
    const candidate = writeCandidate(writing, rngOf(index))
    characters += candidate.text.length * Math.ceil((request.candidates - index) / different)
    if (characters > maxAnswerCharacters) throw new AnswerTooLarge('characters', maxAnswerCharacters)
    candidates.push(candidate)
  }
  for (let index = different; index < request.candidates; index++) {
    candidates.push(candidates[index % different]!)
  }
  return candidates
}

/**
 * @returns notes on ignored keywords of the schemas, as sentences for the hint header.
 * @throws {SchemaRefused}
 */
function compileSchemas({ output, tools }: TextRequest): string[] {
  const isStructured = output.kind === 'schema' || output.kind === 'enum'
  const answer = isStructured ? compileSchema(output.schema) : undefined
  const notes = (answer?.notes ?? []).map((note) => `In the response schema, ${note}.`)
  let links = answer?.links ?? 0
  for (const tool of tools) {
    const compiled = compileParameters(tool)
    for (const note of compiled?.notes ?? []) notes.push(`In the parameters of "${tool.name}", ${note}.`)
    links += compiled?.links ?? 0
    if (links > maxPatternLinks)
      throw new SchemaRefused('The patterns of all tools are too large together: simplify them.', '')
  }
  return notes
}

/** The size of the patterns of all schemas together. Patterns for dates have ten, one for 280 characters has 40,000. */
const maxPatternLinks = 400_000

/** How many candidates differ. Fixed answers are all the same, and structured answers repeat after the first few. */
function differentCandidates({ candidates, output, tools }: TextRequest, isGiven: boolean): number {
  const isProse = output.kind === 'text' && tools.length === 0
  if (isProse) return isGiven ? Math.min(candidates, 1) : candidates
  return Math.min(candidates, fewCandidates)
}

function usageOf(
  prompt: TextAnswer['usage']['prompt'],
  candidates: TextAnswer['candidates'],
): TextAnswer['usage'] {
  const answer = candidates.reduce((sum, { answerTokens }) => sum + answerTokens, 0)
  const thoughts = candidates.reduce((sum, { thoughtTokens }) => sum + thoughtTokens, 0)
  return { prompt, answer, thoughts, total: prompt.total + answer + thoughts }
}
