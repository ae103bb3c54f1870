// What the page itself says. Everything about a game comes from the server, in the same language.
export const WORDS = {
  en: {
    lookBack: "You look back", earlier: "One back", later: "One on", nextLaid: "The next table is laid.",
    language: "Language", play: "Play", games: "Games", search: "Find a game", players: "players",
    player: "player", minute: "minute", minutes: "minutes", begin: "Begin the table", back: "Back", seats: "Seats", person: "a person",
    easy: "bot: easy", normal: "bot: normal", hard: "bot: hard", random: "bot: random", open: "open",
    options: "Options", variants: "Variants", luck: "Luck (a number or text; empty: new)", none: "as printed", byVariant: "by the variant", idle: "Means nothing with these settings.", openAbout: "Open seats: send the link for lookers-on to as many as you like; who sits down first has the seat.", bring: "Play rules of your own", bringAbout: "One rules file (.yaml). It is checked, and found only by who has its link.",
    links: "The table is laid", linksAbout: "Send each player their link: who has it sits there.",
    sit: "Sit down", copy: "Copy", copied: "Copied", look: "Look on", owner: "Your key to the table (seats bots)",
    rules: "Rules", you: "you", waits: "Waiting for", thinks: "is thinking", considers: "Thinking it over", done: "Done. Waiting for the others.",
    undo: "Undo", away: "away", story: "What happened", again: "All choices", take: "Take",
    need: "Choose", lost: "No connection: trying again …",
    record: "Download the record", rematch: "Another game", joinAgain: "To the next game", whyNot: "What else not, and why?", advice: "What would you do?", nothingElse: "There is nothing else to this question.", moment: "Look back", openRecord: "Open a record of a game", handOver: "Hand the device to", have: "I am", allHere: "Everybody on this device", hidden: "face down", empty: "empty",
    explain: "What do they do?", looking: "You look on.", trouble: "The table has stopped:",
    goesOn: "more below", close: "Close", filter: "Filter", nothingFits: "nothing fits", seatBot: "Seat", click: "Click on the table, or choose from the list.", every: "All answers", error: "That did not work:",
  },
  fr: {
    lookBack: "Vous revoyez la partie", earlier: "Un coup en arrière", later: "Un coup en avant", nextLaid: "La table suivante est prête.",
    language: "Langue", play: "Jouer", games: "Jeux", search: "Chercher un jeu", players: "joueurs",
    player: "joueur", minute: "minute", minutes: "minutes", begin: "Ouvrir la table", back: "Retour", seats: "Places", person: "une personne",
    easy: "robot : facile", normal: "robot : normal", hard: "robot : fort", random: "robot : au hasard", open: "libre",
    options: "Options", variants: "Variantes", luck: "Hasard (un nombre ou un texte ; vide : nouveau)", none: "comme imprimé", byVariant: "selon la variante", idle: "Sans effet avec ces réglages.", openAbout: "Places libres : envoyez le lien des spectateurs à qui vous voulez ; qui s’assied en premier a la place.", bring: "Jouer avec vos propres règles", bringAbout: "Un fichier de règles (.yaml). Il est vérifié ; seul qui a son lien le trouve.",
    links: "La table est prête", linksAbout: "Envoyez à chacun son lien : qui l’a est assis à cette place.",
    sit: "S’asseoir", copy: "Copier", copied: "Copié", look: "Regarder", owner: "Votre clé de la table (pour placer des robots)",
    rules: "Règles", you: "vous", waits: "On attend", thinks: "réfléchit", considers: "Réflexion", done: "C’est fait. On attend les autres.",
    undo: "Annuler", away: "absent", story: "Ce qui s’est passé", again: "Tous les choix", take: "Prendre",
    need: "Choisissez", lost: "Pas de connexion : nouvel essai …",
    record: "Télécharger la partie", rematch: "Une autre partie", joinAgain: "À la partie suivante", whyNot: "Quoi d’autre, et pourquoi pas ?", advice: "Que feriez-vous ?", nothingElse: "Il n’y a rien d’autre à cette question.", moment: "Revoir", openRecord: "Ouvrir une partie enregistrée", handOver: "Passez l’appareil à", have: "Je suis", allHere: "Tout le monde sur cet appareil", hidden: "face cachée", empty: "vide",
    explain: "Que font-ils ?", looking: "Vous regardez.", trouble: "La table s’est arrêtée :",
    goesOn: "la suite est dessous", close: "Fermer", filter: "Filtrer", nothingFits: "rien ne convient", seatBot: "Placer", click: "Cliquez sur la table, ou choisissez dans la liste.", every: "Toutes les réponses", error: "Cela n’a pas marché :",
  },
  de: {
    lookBack: "Du schaust zurück", earlier: "Einen Schritt zurück", later: "Einen Schritt weiter", nextLaid: "Der nächste Tisch ist gedeckt.",
    language: "Sprache", play: "Spielen", games: "Spiele", search: "Ein Spiel suchen", players: "Spieler",
    player: "Spieler", minute: "Minute", minutes: "Minuten", begin: "Tisch eröffnen", back: "Zurück", seats: "Plätze", person: "ein Mensch",
    easy: "Bot: leicht", normal: "Bot: normal", hard: "Bot: stark", random: "Bot: zufällig", open: "frei",
    options: "Optionen", variants: "Varianten", luck: "Zufall (Zahl oder Text; leer: neu)", none: "wie gedruckt", byVariant: "durch die Variante", idle: "Ohne Wirkung bei diesen Einstellungen.", openAbout: "Freie Plätze: Schick den Link fürs Zuschauen an beliebig viele; wer sich zuerst setzt, hat den Platz.", bring: "Nach eigenen Regeln spielen", bringAbout: "Eine Regeldatei (.yaml). Sie wird geprüft; nur wer ihren Link hat, findet sie.",
    links: "Der Tisch ist gedeckt", linksAbout: "Schick allen ihren Link: Wer ihn hat, sitzt dort.",
    sit: "Platz nehmen", copy: "Kopieren", copied: "Kopiert", look: "Zuschauen", owner: "Dein Schlüssel zum Tisch (setzt Bots ein)",
    rules: "Regeln", you: "du", waits: "Es fehlt", thinks: "denkt nach", considers: "Es wird nachgedacht", done: "Fertig. Die anderen fehlen noch.",
    undo: "Zurücknehmen", away: "nicht da", story: "Was geschah", again: "Alle Möglichkeiten", take: "Nehmen",
    need: "Wähle", lost: "Keine Verbindung: neuer Versuch …",
    record: "Partie herunterladen", rematch: "Noch ein Spiel", joinAgain: "Zum nächsten Spiel", whyNot: "Was sonst nicht, und warum?", advice: "Was würdest du tun?", nothingElse: "Zu dieser Frage gibt es nichts weiter.", moment: "Zurückschauen", openRecord: "Eine aufgezeichnete Partie öffnen", handOver: "Gib das Gerät weiter an", have: "Ich bin", allHere: "Alle an diesem Gerät", hidden: "verdeckt", empty: "leer",
    explain: "Was tun sie?", looking: "Du schaust zu.", trouble: "Der Tisch steht still:",
    goesOn: "weiter unten mehr", close: "Schließen", filter: "Filtern", nothingFits: "nichts passt", seatBot: "Setze", click: "Klick auf den Tisch, oder wähle aus der Liste.", every: "Alle Antworten", error: "Das ging nicht:",
  },
};

export function chosenLanguage() {
  const kept = localStorage.getItem("rulerun.language");
  const asked = kept || (navigator.language || "en").slice(0, 2);
  return WORDS[asked] ? asked : "en";
}

export function fillLanguages(select, language, changed) {
  const names = { en: "English", fr: "Français", de: "Deutsch" };
  select.replaceChildren(...Object.keys(WORDS).map((code) => {
    const option = document.createElement("option");
    option.value = code;
    option.textContent = names[code];
    option.selected = code === language;
    return option;
  }));
  select.onchange = () => {
    localStorage.setItem("rulerun.language", select.value);
    changed(select.value);
  };
}

// h("button.card", {onclick}, "text", child): an element; texts are never read as HTML.
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  if (classes.length) made.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "style") made.style.cssText = value; // The page's policy takes no attribute for it.
    else if (key === "class") made.setAttribute("class", [...classes, value].filter(Boolean).join(" "));
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(9).filter((each) => each !== null && each !== undefined && each !== false).map(together));
  return made;
}

// In French a blank stands before some signs, which begin no line for that.
export function together(text) {
  return typeof text === "string" && document.documentElement.lang === "fr" ? text.replace(/ (?=[:;!?»])|(?<=«) /g, "\u00a0") : text;
}
const SVG = new Set(["svg", "g", "rect", "circle", "polygon", "line", "text", "tspan", "title", "image"]);
