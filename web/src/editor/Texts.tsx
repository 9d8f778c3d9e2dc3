import type { Conflict } from '../answers/source'
import { Panel } from '../parts/Panel'

// Texts shows the files whose text others changed, too, since the draft began: what each was, what the draft has, and what they wrote.
export function Texts({ list, theirs }: { list: Conflict[]; theirs: (c: Conflict) => void }) {
  return list.filter((c) => c.whole).map((c) => {
    const file = c.path.join()
    return (
      <section key={file} className="texts" aria-label={`Texts of ${file}`}>
        <Panel title="Others changed the text, too" note={file}>
          <p>Take their text, and make your change once more; or put yours on the newest files above, which undoes theirs.</p>
          <p><button type="button" onClick={() => theirs(c)}>Take their text</button></p>
          <div className="three">
            {([['Was', c.base], ['Yours', c.mine], ['Theirs', c.theirs]] as const).map(([word, text]) => (
              <div key={word}>
                <h3>{word}</h3>
                <pre tabIndex={0} aria-label={word}>{text}</pre>
              </div>
            ))}
          </div>
        </Panel>
      </section>
    )
  })
}
