import type { Service } from '../../api/service-type.ts'
import { doubtful, type Finding, fine } from '../../cli/health-findings.ts'
import { AppError } from '../../domain/errors.ts'
import { spanText } from '../../domain/text/time-spans.ts'

/** Checks whether a deployment answers, accepts the API key, and has the same time as this machine. */
export async function serviceFindings(
  service: Service,
  host: string | null,
  clockOffMs: () => number,
): Promise<Finding[]> {
  const began = performance.now()
  const key = await knownAs(service)
  const ms = Math.round(performance.now() - began)
  const { total } = await service.listStrategies({ page: 1, limit: 1 })
  const offMinutes = Math.round(Math.abs(clockOffMs()) / 60_000)
  return [
    fine(
      'service',
      host,
      `answers in ${ms} ms${key ? `, customer ${key.name}` : ''}, ${total} strategies${key?.testnet ? ', testnets too' : ''}`,
      { host, ms, customer: key?.name ?? null, strategies: total },
    ),
    offMinutes > 0
      ? doubtful(
          'clock',
          host,
          `the clocks of this machine and the service differ by ${spanText(Math.abs(clockOffMs()))}`,
          'Deadlines and quotes will be wrong. Correct the clock of this machine.',
          { offMs: clockOffMs() },
        )
      : fine('clock', host, 'agrees with the service'),
  ]
}

/** Returns the customer of the API key. Not every deployment has that page, and its shape varies. */
async function knownAs(service: Service): Promise<Awaited<ReturnType<Service['customer']>> | undefined> {
  try {
    return await service.customer({})
  } catch (error) {
    // Report only errors that would stop all other calls too.
    if (error instanceof AppError && !/^(UNAUTHORIZED|RATE_LIMITED|SERVICE_UNREACHABLE)$/.test(error.code))
      return undefined
    throw error
  }
}
