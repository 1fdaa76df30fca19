import { didYouMean } from '../../engine/did-you-mean.ts'
import type { Terminal } from '../terminal/command.ts'

/** Asks until the answer is one of the choices, by name or number. The default is the first. */
export async function choose<Name extends string>(
  ask: NonNullable<Terminal['ask']>,
  question: string,
  names: readonly Name[],
  describe: (name: Name) => string = () => '',
): Promise<Name> {
  const width = Math.max(...names.map((name) => name.length)) + 2
  const list = names.map((name, index) => `  ${index + 1}  ${name.padEnd(width)}${describe(name)}`.trimEnd())
  let prompt = `${question}\n${list.join('\n')}\nNumber or name [${names[0]!}]: `
  for (;;) {
    const answer = (await ask(prompt)).trim()
    const chosen =
      answer === '' ? names[0] : (names[Number(answer) - 1] ?? names.find((name) => name === answer))
    if (chosen) return chosen
    prompt = `"${answer}" is none of them.${didYouMean(answer, names)}\nNumber or name [${names[0]!}]: `
  }
}
