import type { JsonObject } from '../gateway/json.ts'
import type { Control } from './control.ts'

/** One call of the control plane: a method of {@link Control} with an address. */
export interface ControlRoute {
  readonly methods: readonly string[]
  readonly path: string
  /** One line for the index. */
  readonly does: string
  /** How large the body may be, where it may be larger than others. */
  readonly mostBodyBytes?: number
  readonly call: (control: Control, call: ControlCall) => unknown
}

export interface ControlCall {
  readonly namespace: string
  /** The namespace that the call names, if it names one. */
  readonly named: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: JsonObject
  /** Aborted when the caller leaves. */
  readonly left: (() => AbortSignal) | undefined
}
