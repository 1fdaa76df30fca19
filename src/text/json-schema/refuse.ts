import { SchemaRefused } from '../spec.ts'

/** A JSON object of unknown content. */
export type Json = Readonly<Record<string, unknown>>

/** Thrown if two requirements of one value exclude each other. Another alternative may still fit. */
export class Contradiction extends Error {
  readonly pointer: string

  constructor(pointer: string, message: string) {
    super(message)
    this.pointer = pointer
  }
}

export function contradict(pointer: string, message: string): never {
  throw new Contradiction(pointer, message)
}

/** Runs a drawing. Refuses the schema for a contradiction that no alternative resolved. */
export function orRefuse<Value>(draw: () => Value): Value {
  try {
    return draw()
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error
    return refuseSchema(error.pointer, error.message)
  }
}

/** The name of a pointer in messages. */
export function place(pointer: string): string {
  return pointer === '' ? 'the root' : pointer.length > 300 ? `${pointer.slice(0, 300)}…` : pointer
}

export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

export function refuseSchema(pointer: string, message: string): never {
  throw new SchemaRefused(`The schema is refused at ${place(pointer)}: ${message}.`, pointer)
}
