import { z } from 'zod'
import { Digest, fields } from './common.ts'
import { Level } from './plan.ts'

/** `policy check` */
export const PolicyDocument = fields({
  planHash: Digest,
  policy: Digest,
  assurance: Level,
  rules: z.array(
    fields({
      rule: z.string(),
      wanted: z.string(),
      found: z.string(),
      met: z.boolean(),
      code: z.string(),
      hint: z.string().optional(),
    }),
  ),
})
