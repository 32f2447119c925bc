import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { doubtful, type Finding } from '../../cli/health-findings.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import {
  keyHeaderOf,
  keyVariable,
  type PublicService,
  publicServiceNames,
  publicServices,
  serviceVariable,
} from '../../protocols/public-services.ts'
import { moveFile } from '../../store/durable-files.ts'
import type { OnRetirement } from '../../swaps/service-access.ts'
import type { Directories } from '../profiles/directories.ts'

/** What a service said about the end of an endpoint; times are in epoch ms. */
const Kept = z.object({
  service: z.enum(publicServiceNames as [PublicService, ...PublicService[]]),
  path: z.string().max(200),
  deprecatedAt: z.number().nullable(),
  goneAt: z.number().nullable(),
  isKeyed: z.boolean(),
  seenAt: z.number(),
})
type Kept = z.output<typeof Kept>

const dayMs = 86_400_000
/** What was not said again for this long is forgotten, in ms: the endpoint is no longer asked. */
const keptMs = 30 * dayMs

/** The day of a time in epoch ms, in UTC, such as `2027-02-23`. */
export const isoDayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const fileIn = ({ cache }: Directories): string => join(cache, 'service-retirements.json')

function keptIn(dirs: Directories, now: number): Kept[] {
  try {
    const kept = z.array(Kept).parse(JSON.parse(readFileSync(fileIn(dirs), 'utf8')))
    return kept.filter(({ seenAt }) => seenAt <= now + dayMs && now - seenAt < keptMs)
  } catch {
    // No file, or one of another version: the services say it again.
    return []
  }
}

const isAbout = (one: Kept, other: Pick<Kept, 'service' | 'path' | 'isKeyed'>) =>
  one.service === other.service && one.path === other.path && one.isKeyed === other.isKeyed

/** Keeps what a service said about the end of an endpoint, for `doctor`; at most once a day if it says the same. */
export function noteRetirement(
  dirs: Directories,
  { service, path, deprecatedAt, goneAt, isKeyed }: Parameters<OnRetirement>[0],
  now: number,
): void {
  const kept = keptIn(dirs, now)
  const made: Kept = { service, path: path.slice(0, 200), deprecatedAt, goneAt, isKeyed, seenAt: now }
  const known = kept.find((one) => isAbout(one, made))
  if (known?.goneAt === goneAt && known.deprecatedAt === deprecatedAt && now - known.seenAt < dayMs) return
  try {
    mkdirSync(dirs.cache, { recursive: true, mode: 0o700 })
    const draft = `${fileIn(dirs)}.${process.pid}`
    const all = [...kept.filter((one) => !isAbout(one, made)), made].slice(-100)
    writeFileSync(draft, JSON.stringify(all), { mode: 0o600 })
    moveFile(draft, fileIn(dirs))
  } catch {
    // The notice is shown by a later command; a swap does not fail for it.
  }
}

/**
 * The services that said that they retire what this setup asks: one warning for each endpoint. What was asked without a key is left out once
 * the key is set, and the other way round.
 */
export function retirementFindings(
  dirs: Directories,
  now: number,
  hasKey: (service: PublicService) => boolean,
): Finding[] {
  return keptIn(dirs, now)
    .filter(({ service, isKeyed }) => isKeyed === hasKey(service))
    .map(({ service, path, deprecatedAt, goneAt, isKeyed }) => {
      const { about } = publicServices[service]
      const when = goneAt === null ? '' : ` on ${isoDayOf(goneAt)}`
      const verb = goneAt === null ? 'has deprecated' : goneAt <= now ? 'has retired' : 'retires'
      const helps = keyHeaderOf(service) !== undefined && !isKeyed
      return doubtful(
        'service',
        service,
        `${about} ${verb} ${sanitizeText(path)}${when}`,
        helps
          ? `Set ${keyVariable(service)} to a key of the service, or use a newer version of sluice.`
          : `Use a newer version of sluice, or another service in ${serviceVariable(service)}.`,
        {
          path,
          deprecatedAt: deprecatedAt === null ? null : new Date(deprecatedAt).toISOString(),
          goneAt: goneAt === null ? null : new Date(goneAt).toISOString(),
        },
      )
    })
}
