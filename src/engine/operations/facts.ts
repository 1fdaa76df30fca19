/** What is known of an operation without its code. This folder imports nothing outside itself, so anything may read it. */
export interface OperationFacts {
  /**
   * What it does: `submit` makes a task, `poll` reads the state of one, `download` sends what one made, `text` writes a
   * text, `read` reads anything else, `change` changes anything else.
   */
  readonly kind: 'submit' | 'poll' | 'download' | 'text' | 'read' | 'change'
  /** Its methods and its path, such as `GET HEAD /v1/videos/{task_id}/content`. */
  readonly route: string
  /** Other paths of the same operation. */
  readonly aliases?: readonly string[]
  /** The kind of tasks it is about, by the name of their lifecycle. */
  readonly tasks?: TaskKind
  /** Where a request names a task: in this parameter of the path, or in its body. */
  readonly task?: 'task_id' | 'id' | 'body'
  /** Needs no key: `public` ignores keys, even invalid ones. */
  readonly access?: 'public'
  /** POST without a body. */
  readonly hasNoBody?: true
  /** Served only if this option is set, since the real gateway does not offer it. */
  readonly option?: OperationOption
}

/** The kinds of tasks. */
export type TaskKind = 'video' | 'drawing'

/** Options that add operations. */
export type OperationOption = 'video.listAndDelete' | 'drawing.proxyCalls'
