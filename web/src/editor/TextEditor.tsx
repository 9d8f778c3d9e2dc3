import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'

// cue tells the words of CUE apart, line by line.
const cue = StreamLanguage.define<{ long: boolean }>({
  name: 'cue',
  startState: () => ({ long: false }),
  token(s, state) {
    if (state.long) {
      if (s.skipTo('"""')) {
        s.match('"""')
        state.long = false
      } else s.skipToEnd()
      return 'string'
    }
    if (s.eatSpace()) return null
    if (s.match('//')) {
      s.skipToEnd()
      return 'comment'
    }
    if (s.match('"""')) {
      state.long = true
      return 'string'
    }
    if (s.match(/^"(?:[^"\\]|\\.)*"?/)) return s.match(/^\s*[?!]?:/, false) ? 'propertyName' : 'string'
    if (s.match(/^(?:package|import|if|for|in|let|null|true|false)\b/)) return 'keyword'
    if (s.match(/^-?\d[\w.]*/)) return 'number'
    if (s.match(/^[#_$A-Za-z][\w$#]*/)) return s.match(/^\s*[?!]?:/, false) ? 'propertyName' : null
    s.next()
    return null
  },
  languageData: { commentTokens: { line: '//' } },
})

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--move)' },
  { tag: tags.propertyName, color: 'var(--text)', fontWeight: '550' },
])

const theme = EditorView.theme({
  '&': { border: '1px solid var(--line-strong)', borderRadius: '6px', background: 'var(--card)', color: 'var(--text)', fontSize: '0.88rem', maxHeight: '70vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', overflow: 'auto' },
  '.cm-gutters': { background: 'var(--sunk)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--accent-soft)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-deletedChunk': { background: 'var(--sunk)' },
})

// TextEditor edits a text, with what it was marked. Tab leaves it, as it leaves every other field.
export default function TextEditor({ text, base, line, name, put }: { text: string; base: string; line: number; name: string; put: (text: string) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const follows = useRef(false) // the text changes because the draft did
  const latest = useRef(put)
  latest.current = put
  useEffect(() => {
    const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
    const v = new EditorView({
      parent: place.current ?? undefined,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce), lineNumbers(), history(), drawSelection(), highlightActiveLine(), cue, syntaxHighlighting(colours), theme,
          keymap.of([...defaultKeymap, ...historyKeymap]), EditorState.tabSize.of(4), EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': `Text of ${name}`, spellcheck: 'false' }),
          unifiedMergeView({ original: base, mergeControls: false, gutter: true }),
          EditorView.updateListener.of((u) => u.docChanged && !follows.current && latest.current(u.state.doc.toString())),
        ],
      }),
    })
    view.current = v
    return () => v.destroy()
  }, [])
  useEffect(() => {
    const v = view.current
    if (!v) return
    const at = v.state.doc.line(Math.min(Math.max(line, 1), v.state.doc.lines)).from
    v.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    v.focus()
  }, [line])
  useEffect(() => {
    const v = view.current
    if (!v || v.state.doc.toString() === text) return
    follows.current = true
    v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: text } }) // an undo of the draft
    follows.current = false
  }, [text])
  return <div ref={place} />
}
