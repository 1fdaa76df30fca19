/** A state that can't be gone on from. The message says where it is wrong, and what to do. */
export class StateError extends Error {
  override name = 'StateError'
}
