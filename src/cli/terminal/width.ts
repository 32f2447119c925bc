import Table from 'cli-table3'

const edges = ['top', 'bottom', 'left', 'right', 'mid', 'middle']
const ends = ['left', 'mid', 'right']
const corners = ['top', 'bottom', 'left', 'mid', 'right'].flatMap((edge) =>
  ends.map((end) => `${edge}-${end}`),
)
/** How many columns stand between two of a table. */
export const gap = 2

/** A table without boxes. */
export const bare = {
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
  chars: Object.fromEntries([...edges, ...corners].map((name) => [name, ''])),
}

/** How many columns of a terminal a text takes: of anything but ASCII the library that aligns it knows. */
export function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length
  const grid = new Table({ ...bare, style: { ...bare.style, 'padding-right': 0 } })
  grid.push([text])
  return grid.width
}
