import * as z from 'zod/mini'
import { unwrapSchema, optionsOf, schemaAt } from '../../schema/schema-walk.ts'
import { scenarioSchema } from '../../vocabulary/scenario-schema.ts'
import type { Scenario } from '../../vocabulary/types.ts'
import type { Finding } from '../finding.ts'

/** A larger number was probably meant as milliseconds. */
const maxSuspected = 1_000
const maxListed = 20

/** Finds durations that are small numbers: they mean milliseconds, but `delay: 5` was probably meant as seconds. */
export function lintUnits(scenario: Scenario): Finding[] {
  const found: Finding[] = []
  const visit = (value: unknown, place: readonly PropertyKey[]): void => {
    if (found.length === maxListed) return
    if (typeof value === 'number') {
      if (value > 0 && value < maxSuspected && isDuration(schemaAt(scenarioSchema, scenario, place)))
        found.push(findingOf(value, place))
      return
    }
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value))
      visit(inner, [...place, Array.isArray(value) ? Number(key) : key])
  }
  visit(scenario, [])
  return found
}

function isDuration(schema: z.core.$ZodType | undefined): boolean {
  if (schema === undefined) return false
  const inner = unwrapSchema(schema)
  const id = z.globalRegistry.get(inner)?.['id']
  return id === 'duration' || id === 'durationSpec' || (optionsOf(inner)?.some(isDuration) ?? false)
}

function findingOf(value: number, place: readonly PropertyKey[]): Finding {
  return {
    severity: 'advice',
    place,
    message: `${place.map(String).join('.')} is ${value}, which is ${value} milliseconds. Write the unit: ${value}s or ${value}ms.`,
  }
}
