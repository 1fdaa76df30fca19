import type { JsonObject } from '../gateway/bodies/json.ts'
import type { Control } from './control.ts'

/** One call of the control plane: a method of {@link Control} with an address. */
export interface ControlRoute {
  readonly methods: readonly string[]
  readonly path: string
  /** One line for the index. */
  readonly does: string
  /** How large the body may be, where it may be larger than others. */
  readonly maxBodyBytes?: number
  /** Likewise, how many values it may have. */
  readonly maxBodyValues?: number
  /** @returns what is answered as JSON; {@link JsonInPieces} where that takes long to write, {@link JsonLater}. */
  readonly call: (control: Control, call: ControlCall) => unknown
}

/** JSON that is written in pieces, with a turn for everybody else between them. */
export class JsonInPieces {
  readonly pieces: Iterable<string>

  constructor(pieces: Iterable<string>) {
    this.pieces = pieces
  }
}

/** JSON that comes later than its headers. */
export class JsonLater {
  readonly text: Promise<string>
  /** Called when the client leaves. */
  readonly onLeave: () => void

  constructor(text: Promise<string>, onLeave: () => void) {
    this.text = text
    this.onLeave = onLeave
  }
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
