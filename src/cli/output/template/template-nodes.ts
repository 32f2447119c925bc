/** An expression of a template. */
export type Expression =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'field'; of: Expression; path: readonly string[] }
  | { kind: 'dot' }
  | { kind: 'variable'; name: string }
  | { kind: 'call'; name: string; args: readonly Expression[] }

/** A part of a template, in the order of its text. */
export type TemplateNode =
  | { kind: 'text'; text: string }
  | { kind: 'print'; value: Expression }
  | { kind: 'set'; name: string; value: Expression; isNew: boolean }
  | { kind: 'if'; value: Expression; body: readonly TemplateNode[]; otherwise: readonly TemplateNode[] }
  | {
      kind: 'with'
      value: Expression
      name: string | undefined
      body: readonly TemplateNode[]
      otherwise: readonly TemplateNode[]
    }
  | {
      kind: 'range'
      value: Expression
      names: readonly string[]
      body: readonly TemplateNode[]
      otherwise: readonly TemplateNode[]
    }
  | { kind: 'break' }
  | { kind: 'continue' }
