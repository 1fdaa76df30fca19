import { expect, it } from 'vitest'
import { commands } from '../src/cli/terminal/commands.ts'

/** More commands or flags than these need a reason: raise the number on purpose, in the commit that adds one. */
const maxCommands = 13
const maxFlags: Readonly<Record<string, number>> = { serve: 21, run: 15, explore: 14 }

it('has no more commands than people can learn', () => {
  expect(commands.map(({ name }) => name).length).toBeLessThanOrEqual(maxCommands)
})

it.each(Object.entries(maxFlags))('gives %s at most %i flags', async (name, max) => {
  const { options } = await commands.find((each) => each.name === name)!.load()
  expect(Object.keys(options).length, Object.keys(options).join(', ')).toBeLessThanOrEqual(max)
})

it('advises no flag that a command has', async () => {
  for (const { load } of commands) {
    const { options, flagAdvice = {} } = await load()
    for (const flag of Object.keys(flagAdvice)) expect(options).not.toHaveProperty([flag])
  }
})
