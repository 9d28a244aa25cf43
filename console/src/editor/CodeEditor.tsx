import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import type { Attributes, Checked } from '../api';
import { completionSource } from './completion';
import { highlighting } from './languages';
import { diagnosticsOf } from './problems';

/** A text editor in a shadow root: the policy of the page allows no style element, and there style sheets are made by script. */

export interface CodeEditorProps {
  /** A text that takes the place of what is there, each time it is a new object; typing goes out by `onChange`. */
  given: { text: string };
  language: string;
  label: string;
  known: Attributes | null;
  onChange: (text: string) => void;
  onSave: () => void;
  /** What is underlined. */
  checked: Checked;
}

const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: tags.className, color: 'var(--code-type)' },
  { tag: tags.typeName, color: 'var(--code-type)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.operator, color: 'var(--code-operator)' },
  { tag: tags.special(tags.variableName), color: 'var(--ring)' },
]);

const LOOK = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: '13.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px', borderRadius: '5px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', minHeight: '186px' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-placeholder': { color: 'var(--muted)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--border-strong)',
    borderRadius: '6px',
    boxShadow: '0 8px 24px rgb(0 0 0 / 0.2)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '12px' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '320px', fontFamily: 'var(--font)' },
  '.cm-diagnostic': { padding: '6px 10px', whiteSpace: 'pre-wrap', fontFamily: 'var(--font)', maxWidth: '440px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-diagnosticSource': { color: 'var(--muted)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad) 1.5px',
    textUnderlineOffset: '3px',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--warn) 1.5px',
    textUnderlineOffset: '3px',
    textDecorationSkipInk: 'none',
  },
});

export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const language = useRef(new Compartment());

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      doc: latest.current.given.text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        syntaxHighlighting(COLORS),
        LOOK,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': props.label, spellcheck: 'false' }),
        placeholder('Write what should ring; Ctrl-Space offers what is known'),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => (latest.current.onSave(), true) },
          { key: 'Tab', run: acceptCompletion },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        language.current.of(languageParts(latest.current.language, () => latest.current.known)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString());
        }),
      ],
    });
    const editor = new EditorView({ state, parent: root, root });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== props.given.text)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.given.text } });
  }, [props.given]);

  useEffect(() => {
    view.current?.dispatch({
      effects: language.current.reconfigure(languageParts(props.language, () => latest.current.known)),
    });
  }, [props.language]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { problems, warnings } = props.checked;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems, warnings)));
  }, [props.checked]);

  return <div ref={host} class="code-editor" data-language={props.language} />;
}

function languageParts(language: string, known: () => Attributes | null) {
  return [highlighting(language), autocompletion({ override: [completionSource(language, known)], icons: false })];
}
