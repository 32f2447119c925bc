import type { Service } from '../api/service.ts'
import type { Body, Heard } from '../cli/world.ts'

/** Keeps what a service answers as it came until somebody asks for it: `begin` before a call, `answered` when there is an answer. */
export function hearing() {
  let bodies: Body[] = []
  let last: Body | undefined
  return {
    begin: (): void => {
      last = undefined
    },
    answered: (method: keyof Service, { status, text }: { status: number; text: string }): void => {
      last = { method, status, text }
      bodies.push(last)
    },
    said: (): Heard => {
      const heard = { bodies, last }
      bodies = []
      last = undefined
      return heard
    },
  }
}
