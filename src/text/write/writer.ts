import { WorkBudget } from '../../engine/work-budget.ts'
import { rngFor } from './rng.ts'
import { findFixed } from './fixed.ts'
import { fewCandidates, writeCandidate } from './candidate.ts'
import { maxChunks } from '../pace.ts'
import { readTextMagic } from '../magic.ts'
import { once } from '../once.ts'
import { readPromptValues } from '../prompt-values.ts'
import { lastUserText, readPrompt } from '../reading.ts'
import { compileSchema } from '../json-schema/schema.ts'
import type { TextAnswer, TextCandidate, TextRequest, TextSettings, Writer } from '../spec.ts'
import { countPromptTokens } from '../tokens.ts'
import { compileParameters } from '../tool-choice.ts'
import { pendingResults, withResults } from '../tool-result.ts'
import { loadWords } from './words.ts'

/** Loads the word lists and makes a writer; the first call takes some 30 ms, so it belongs in a prepare step. */
export async function loadWriter(settings: TextSettings = {}): Promise<Writer> {
  const words = await loadWords()
  return {
    check: (request, work = new WorkBudget()) => checkSchemas(request, work),
    answer(request, chance, given, work = new WorkBudget()) {
      checkSchemas(request, work)
      const said = lastUserText(request.turns)
      const magic = settings.promptDirectives === false ? { prompt: said } : readTextMagic(said)
      const fixed = given ?? findFixed(settings.answers ?? [], { model: request.model, prompt: magic.prompt })
      const prompt = countPromptTokens(request, work)
      const blocked = fixed?.block ?? magic.block
      if (blocked !== undefined) {
        return { blocked, candidates: [], usage: { prompt, answer: 0, thoughts: 0, total: prompt.total } }
      }
      const reading = once(() => readPrompt(request, magic.prompt))
      const values = once(() => withResults(readPromptValues(magic.prompt), pendingResults(request.turns)))
      const isEcho = settings.mode === 'echo'
      const different = differentCandidates(request, fixed !== undefined || magic.say !== undefined || isEcho)
      const candidates: TextCandidate[] = []
      for (let index = 0; index < different; index++) {
        const dice = rngFor(chance, `candidate/${index}`)
        const candidate = writeCandidate({
          request,
          magic,
          reading,
          values,
          fixed,
          dice,
          words,
          isEcho,
          work,
        })
        const copies = Math.ceil((request.candidates - index) / different)
        work.spend(copies * sayingWork(candidate), 'its answers')
        candidates.push(candidate)
      }
      for (let index = different; index < request.candidates; index++) {
        candidates.push(candidates[index % different]!)
      }
      return { candidates, usage: usageOf(prompt, candidates) }
    },
  }
}

function checkSchemas({ output, tools }: TextRequest, work: WorkBudget): void {
  if (output.kind === 'schema' || output.kind === 'enum') compileSchema(output.schema, work)
  for (const [index, tool] of tools.entries()) compileParameters(tool, index, work)
}

/** The units of saying a candidate, in one piece or bit by bit. */
function sayingWork({ thoughts = '', text, calls, thoughtTokens, answerTokens }: TextCandidate): number {
  const chunks =
    Math.min(answerTokens, maxChunks) + (thoughts === '' ? 0 : Math.min(thoughtTokens, maxChunks))
  return calls.length + chunks + (thoughts.length + text.length) * saidWork
}

/** The units of a character that is said. */
const saidWork = 0.01

/** Words that are given are the same for all; structured answers, beyond the first few, come round again. */
function differentCandidates({ candidates, output, tools }: TextRequest, isGiven: boolean): number {
  if (isGiven && tools.length === 0 && output.kind === 'text') return Math.min(candidates, 1)
  return output.kind === 'text' && tools.length === 0 ? candidates : Math.min(candidates, fewCandidates)
}

function usageOf(
  prompt: TextAnswer['usage']['prompt'],
  candidates: TextAnswer['candidates'],
): TextAnswer['usage'] {
  const answer = candidates.reduce((sum, { answerTokens }) => sum + answerTokens, 0)
  const thoughts = candidates.reduce((sum, { thoughtTokens }) => sum + thoughtTokens, 0)
  return { prompt, answer, thoughts, total: prompt.total + answer + thoughts }
}
