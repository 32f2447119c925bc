import { escaped } from '../domain/text.ts'

/**
 * A value as one JSON document. Amounts inside are already objects; a bare `bigint` becomes text. What JSON would leave
 * as it is, and a terminal would act on, is written as an escape: the value is the same.
 */
export const toJson = (value: unknown, pretty: boolean): string =>
  escaped(
    JSON.stringify(
      value,
      (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item),
      pretty ? 2 : undefined,
    ),
  )
