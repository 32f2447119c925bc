import type { Service } from '../../api/service-type.ts'
import type { RawResponse, RawResponses } from '../../cli/backend.ts'

/** Keeps what a service answers as it came until somebody asks for it: `begin` before a call, `answered` when there is an answer. */
export function hearing() {
  let bodies: RawResponse[] = []
  let last: RawResponse | undefined
  return {
    begin: (): void => {
      last = undefined
    },
    answered: (method: keyof Service, { status, text }: { status: number; text: string }): void => {
      last = { method, status, text }
      bodies.push(last)
    },
    said: (): RawResponses => {
      const heard = { bodies, last }
      bodies = []
      last = undefined
      return heard
    },
  }
}
