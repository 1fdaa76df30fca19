import type {
  TextChunk,
  TextPace,
  TextRequest,
  TextChance,
  PromptTokens,
  TextSettings,
  Writer,
} from '../../text/spec.ts'

/** The room of words as the surfaces use it, once it is loaded. */
export interface Words {
  /** @throws {SchemaRefused} for schemas that can't be fulfilled, of the answer or of tools. */
  readonly check: (request: TextRequest) => void
  readonly writer: Writer
  readonly countTokens: (text: string) => number
  readonly countPrompt: (request: TextRequest) => PromptTokens
  readonly paceText: (text: string, pace: TextPace, chance: TextChance) => readonly TextChunk[]
  readonly embed: (text: string, dimensions: number) => readonly number[]
}

const loaded = new WeakMap<TextSettings, Promise<Words>>()

/** Loads the room with its heavy package once for all routes of a simulator. */
export function wordsOf({ text }: { readonly text: TextSettings }): Promise<Words> {
  let words = loaded.get(text)
  if (!words) loaded.set(text, (words = load(text)))
  return words
}

async function load(_settings: TextSettings): Promise<Words> {
  return (await import('./stand-in' + '.ts')).standInWords as Words
}
