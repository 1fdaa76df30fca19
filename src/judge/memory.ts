import { BoundedMap } from '../engine/bounded-map.ts'

/** What is remembered of each subject. Forgets the one that came first when there are too many. */
export class Memory<Value> extends BoundedMap<Value> {
  constructor(most = 10_000) {
    super(most)
  }
}
