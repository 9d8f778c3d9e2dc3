// parsed takes a server-sent event apart; a comment has no name.
export function parsed(event: string): { name: string; data: string } {
  const said = { name: '', data: '' }
  for (const line of event.split('\n')) {
    if (line.startsWith('event: ')) said.name = line.slice(7)
    if (line.startsWith('data: ')) said.data = line.slice(6)
  }
  return said
}
