import { careful, type Received } from '../messages.ts'

/** A retry appends to what the broken stream left. */
export const habits = { ...careful, beginWith: (received: Received) => ({ ...received, isBegun: false }) }
