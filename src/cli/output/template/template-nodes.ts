/** An expression of a template. */
export type Expression =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'field'; of: Expression; path: readonly string[] }
  | { kind: 'dot' }
  | { kind: 'variable'; name: string }
  | { kind: 'call'; name: string; args: readonly Expression[] }

/** A part of a template, in the order of its text. */
export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'print'; value: Expression }
  | { kind: 'set'; name: string; value: Expression; isNew: boolean }
  | { kind: 'if'; value: Expression; body: readonly Node[]; otherwise: readonly Node[] }
  | {
      kind: 'with'
      value: Expression
      name: string | undefined
      body: readonly Node[]
      otherwise: readonly Node[]
    }
  | {
      kind: 'range'
      value: Expression
      names: readonly string[]
      body: readonly Node[]
      otherwise: readonly Node[]
    }
  | { kind: 'break' }
  | { kind: 'continue' }
