// Diff shows a unified diff. Each line has its sign, so colour only helps.
export function Diff({ text }: { text: string }) {
  return (
    <pre className="diff" tabIndex={0}>
      {text.replace(/\n$/, '').split('\n').map((line, i) => (
        <span key={i} className={kind(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

function kind(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('@@')) return 'head'
  return line.startsWith('+') ? 'new' : line.startsWith('-') ? 'gone' : ''
}
