import { expect, it } from 'vitest'
import { maxRequestWork, WorkBudget, WorkRefused } from '../../src/engine/work-budget.ts'

it('lets all that is spent together reach the limit, and refuses the first unit beyond it', () => {
  const work = new WorkBudget(10)
  work.spend(4, 'its texts')
  work.spend(6, 'its tools')
  expect(work.spent).toBe(10)
  expect(() => work.spend(0.1, 'its tools')).toThrow(WorkRefused)
})

it('says what the budget ran out on, how large it is, and what to do', () => {
  expect(() => new WorkBudget().spend(maxRequestWork + 1, 'its JSON schema')).toThrow(
    `The request is too much work: its budget of ${maxRequestWork} units ran out on its JSON schema. Make it smaller, or split it.`,
  )
})
